const rules = {
  name: (value) => typeof value === 'string' && value.length > 0,
  age: Number.isInteger,
  email: (value) => /^\S+@\S+$/.test(value),
};
const reads = [];
const isPublic = (key) => !String(key).startsWith('_');

const user = new Proxy({ _id: 7, name: 'ann', age: 30 }, {
  get(target, key, receiver) {
    reads.push(String(key));
    return Reflect.get(target, key, receiver);
  },
  set(target, key, value, receiver) {
    if (!Object.hasOwn(rules, key)) throw new TypeError(`unknown field ${key}`);
    if (!rules[key](value)) throw new RangeError(`bad ${key}: ${JSON.stringify(value)}`);
    return Reflect.set(target, key, value, receiver);
  },
  has: (target, key) => isPublic(key) && key in target,
  ownKeys: (target) => Reflect.ownKeys(target).filter(isPublic),
  deleteProperty: () => false,
});

const changes = [['age', 31], ['age', 'old'], ['email', 'ann@example.org'], ['email', 'nowhere'],
  ['admin', true]];
for (const [key, value] of changes) {
  try {
    user[key] = value;
    console.log(key, 'is set');
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
}
console.log('_id' in user, 'age' in user, Object.keys(user).join());
console.log(JSON.stringify(user));
console.log(Reflect.deleteProperty(user, 'age'), user.age);
console.log(reads.join(' '));

let calls = 0;
const hypot = new Proxy(Math.hypot, {
  apply(target, self, words) {
    calls += 1;
    return Reflect.apply(target, self, words.map(Number));
  },
});
console.log(hypot('3', '4'), hypot(), calls, typeof hypot);

const { proxy, revoke } = Proxy.revocable({ ok: true }, {});
revoke();
try {
  console.log('never printed', proxy.ok);
} catch (error) {
  console.log(`${error.name}: ${error.message}`);
}
return { ...user };
