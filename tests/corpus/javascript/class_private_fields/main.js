class Shape {
  static #count = 0;
  static kinds = new Set();
  static { Shape.kinds.add('shape'); }

  #name;

  constructor(name) {
    this.#name = name;
    Shape.#count += 1;
    Shape.kinds.add(new.target.name.toLowerCase());
  }

  static get count() { return Shape.#count; }
  static isShape(value) { return Object(value) === value && #name in value; }

  get name() { return this.#name; }
  get area() { throw new TypeError(`${this.constructor.name} has no area`); }
  get [Symbol.toStringTag]() { return this.constructor.name; }
  #label() { return `${this.name} (${this.area})`; }
  toString() { return this.#label(); }
  [Symbol.toPrimitive](hint) { return hint === 'number' ? this.area : this.toString(); }
}

class Rectangle extends Shape {
  constructor(width, height, name = 'rectangle') {
    super(name);
    Object.assign(this, { width, height });
  }

  get area() { return this.width * this.height; }
  set size([width, height]) { Object.assign(this, { width, height }); }
}

class Square extends Rectangle {
  constructor(side) { super(side, side, 'square'); }
  toString() { return `${super.toString()} of side ${this.width}`; }
}

const shapes = [new Rectangle(2, 5), new Square(3)];
for (const shape of shapes) console.log(`${shape}`, +shape, Object.prototype.toString.call(shape));
shapes[0].size = [4, 4];
console.log(shapes[0] > shapes[1], Shape.count, [...Shape.kinds].join());
console.log(Shape.isShape(shapes[1]), Shape.isShape({ name: 'fake' }), Shape.isShape(null));
console.log(Reflect.set(shapes[0], 'area', 1), Object.keys(shapes[1]));
try {
  console.log(String(new Shape('blob')));
} catch (error) {
  console.log(`${error.name}: ${error.message}`);
}
return shapes;
