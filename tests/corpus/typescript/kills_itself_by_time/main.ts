console.log("spins");
for (;;);
