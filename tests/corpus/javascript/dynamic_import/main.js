const { basename } = await import('node:path');
console.log(basename('a/b.txt'));
return 1;
