setTimeout(() => console.log("later"), 20);
queueMicrotask(() => console.log("soon"));
return "value";
