const greeting: string = "hello";
const count: = 3;
console.log(greeting, count);
