setTimeout(() => {
  throw new TypeError("too late");
}, 5);
return 1;
