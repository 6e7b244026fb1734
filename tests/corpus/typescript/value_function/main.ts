return { map: { call: (): number => 1 } };
