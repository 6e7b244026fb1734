const users = [{ name: 'ann', email: 'ann@example.org' }, { name: 'bob' }];
const contacts = users.map(({ name, email }) => ({ name, email }));
console.log(JSON.stringify(contacts));
return contacts;
