
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
    const timeOf = (self) => now.call(self) - stood;

    // What says nothing of the time gets it from here; all else is as it was, errors too.
    const later = {
      now() { return timeOf(this); },
      get timeOrigin() { return origin.call(this) + stood; },
      mark(name, ...more) {
        const [options = {}] = more;
        if (arguments.length === 0 || typeof options !== 'object' || options === null
          || options.startTime !== undefined) return mark.apply(this, arguments);
        return mark.call(this, name, { detail: options.detail, startTime: timeOf(this) });
      },
      measure(name, ...more) {
        const [from, end] = more;
        const isMark = from === undefined || typeof from === 'string';
        const isOptions = typeof from === 'object' && from?.start !== undefined
          && from.end === undefined && from.duration === undefined;
        if (arguments.length === 0 || end !== undefined || !(isMark || isOptions))
          return measure.apply(this, arguments);
        const { start = 0, detail } = isMark ? { start: from } : from;
        return measure.call(this, name, { start, detail, end: timeOf(this) });
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
