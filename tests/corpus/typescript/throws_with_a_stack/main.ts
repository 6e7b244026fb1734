interface User {
  name: string;
  address?: { city: string };
}

function describe(user: User): string {
  return `${user.name} lives in ${user.address!.city}`;
}

const users: User[] = [{ name: "ann", address: { city: "Oslo" } }, { name: "bob" }];
for (const user of users) {
  console.log(describe(user));
}
