console.log("waits");
await new Promise<void>(() => {});
return 1;
