Deno.addSignalListener("SIGTERM", () => {
  console.log("stops");
  Deno.exit(3);
});
setInterval(() => {}, 1000);
console.log("serves");
