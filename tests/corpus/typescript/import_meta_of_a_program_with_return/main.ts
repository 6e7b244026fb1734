console.log(import.meta.main, Deno.mainModule === import.meta.url, import.meta.url);
return import.meta.dirname;
