/** Something that happens at a moment of virtual time. */
export interface QueuedEvent {
  readonly atMs: number;
  /** Decides between events of one moment. */
  readonly order: number;
}

/** Events by their time: a binary heap. */
export class EventQueue<Event extends QueuedEvent> {
  readonly #heap: Event[] = [];

  get size(): number {
    return this.#heap.length;
  }

  peek(): Event | undefined {
    return this.#heap[0];
  }

  push(event: Event): void {
    const heap = this.#heap;
    let place = heap.push(event) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!isBefore(event, heap[above])) break;
      heap[place] = heap[above] as Event;
      place = above;
    }
    heap[place] = event;
  }

  pop(): Event | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1], heap[below])) below += 1;
      if (!isBefore(heap[below], last)) break;
      heap[place] = heap[below] as Event;
      place = below;
    }
    heap[place] = last;
    return first;
  }
}

function isBefore(one: QueuedEvent | undefined, other: QueuedEvent | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
