const stock = new Map([['bolt', 4], ['nut', 9]]);
return { names: stock.keys() };
