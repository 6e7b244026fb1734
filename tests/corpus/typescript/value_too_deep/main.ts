type List = { next: List } | null;
let list: List = null;
for (let n = 0; n < 101; n += 1) list = { next: list };
return list;
