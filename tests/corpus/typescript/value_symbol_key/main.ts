return { [Symbol("id")]: 1 };
