function describe(user) {
  return `${user.name} lives in ${user.address.city}`;
}

const users = [
  { name: 'ann', address: { city: 'Oslo' } },
  { name: 'bob' },
];
for (const user of users) {
  console.log(describe(user));
}
