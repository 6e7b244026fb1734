interface Row { id: number; note?: string }
const row: Row = { id: 1, note: undefined };
return row;
