interface Order {
  customer: string;
  items: { sku: string; quantity: number; price: number }[];
}

const text = await new Response(Deno.stdin.readable).text();
const orders = text.trim().split("\n").map((line) => JSON.parse(line) as Order);
const totals = Object.groupBy(orders, (order) => order.customer);
const report: Record<string, number> = {};
for (const [customer, mine] of Object.entries(totals).sort()) {
  report[customer] = mine!.flatMap((order) => order.items)
    .reduce((sum, item) => sum + item.quantity * item.price, 0);
}
console.table(report);
return report;
