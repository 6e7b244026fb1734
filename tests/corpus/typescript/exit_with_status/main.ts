globalThis.addEventListener("unload", () => console.log("unloads"));
setTimeout(() => console.log("not reached"), 1000);
console.log("leaves");
Deno.exit(7);
