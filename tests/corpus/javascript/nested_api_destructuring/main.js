const response = {
  data: {
    users: [
      {
        id: 1,
        profile: { name: { first: 'Ada', last: 'Byron' }, tags: ['mathematics', 'poetry'] },
        address: null,
      },
      {
        id: 2,
        profile: { name: { first: 'Alan' } },
        address: { city: 'London', geo: [51.5, -0.1] },
      },
      { id: 3 },
    ],
    page: { number: 1, of: 2 },
  },
  'x-rate-limit': '59',
  errors: [],
};

const {
  data: { users, page: { number: page, of: pages = 9, size = users.length } },
  'x-rate-limit': limit,
  ...rest
} = response;
console.log(page, pages, size, Number(limit), Object.keys(rest).join());

function summarise({
  id,
  profile: { name: { first = '?', last = '' } = {}, tags: [main = 'none', ...more] = [] } = {},
  address,
}) {
  const name = `${first} ${last}`.trim();
  const northern = (address?.geo?.[0] ?? 0) > 0;
  return { id, name, main, more: more.length, city: address?.city ?? null, northern };
}

const rows = users.map(summarise);
for (const { id, name, main, more, city } of rows) console.log(`${id} ${name} [${main}+${more}] ${city}`);

let [a, , b = 5, ...[c, d]] = [1, 2, undefined, 4, 6];
[a, b] = [b, a];
console.log(a, b, c, d);

const field = 'city';
const { [field]: where = 'nowhere', geo: [north, east] = [] } = users[1].address;
console.log(where, north, east, users[2].profile?.name.first.length, users[0].address?.[field]);

try {
  const { city } = users[0].address;
  console.log('never printed', city);
} catch (error) {
  console.log(error instanceof TypeError);
}
return Object.fromEntries(rows.map(({ id, ...row }) => [`user${id}`, row]));
