console.log(Deno.args, process.argv.slice(2).length);
console.log(Deno.env.get("GREETING"), process.env.GREETING, Deno.env.get("HOME"));
return Deno.args.map(Number).filter((n) => !Number.isNaN(n)).reduce((a, b) => a + b, 0);
