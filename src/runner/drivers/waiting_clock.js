
  /// The clock that counts from the interpreter's start stands still while that waits for its
  /// program. What is returned has it go on, and says how many milliseconds it stood.
  const stopClock = () => {
    let clock = performance;
    while (!Object.hasOwn(clock, 'now')) clock = Object.getPrototypeOf(clock);
    const { now, mark, measure } = clock;
    const { get, value } = Object.getOwnPropertyDescriptor(clock, 'timeOrigin');  // one of them
    const origin = get ?? (() => value);
    const since = performance.now();
    let stood = 0;

    // A method in these letters has the name, and no property, that the one before it had.
    const later = {
      now() { return now.call(this) - stood; },
      get timeOrigin() { return origin.call(this) + stood; },
      mark(...given) {
        const [, options] = given;
        if (given.length > 0 && options?.startTime === undefined)
          given[1] = { ...options, startTime: this.now() };
        return mark.apply(this, given);
      },
      measure(...given) {
        const [name, start, end] = given;
        const options = typeof start === 'string' ? { start } : start;
        const endsNow = [end, options?.end, options?.duration].every((one) => one === undefined);
        if (given.length === 0 || !endsNow) return measure.apply(this, given);
        return measure.call(this, name, { ...options, end: this.now() });
      },
    };
    return () => {
      stood = performance.now() - since;
      for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(later))) {
        const { enumerable } = Object.getOwnPropertyDescriptor(clock, name);
        Object.defineProperty(clock, name, { ...own, enumerable });
      }
      return stood;
    };
  };
