/** Keeps the first few of many by an order, and no more than those. */
export class FirstOf<Item> {
  private readonly sorted: Item[] = [];
  private readonly limit: number;
  private readonly order: (left: Item, right: Item) => number;

  constructor(limit: number, order: (left: Item, right: Item) => number) {
    this.limit = limit;
    this.order = order;
  }

  get items(): readonly Item[] {
    return this.sorted;
  }

  get last(): Item | undefined {
    return this.sorted.at(-1);
  }

  get isFull(): boolean {
    return this.sorted.length >= this.limit;
  }

  add(item: Item): void {
    const { last } = this;
    if (this.limit <= 0 || (this.isFull && last !== undefined && this.order(item, last) >= 0)) return;
    this.sorted.splice(this.placeOf(item), 0, item);
    if (this.sorted.length > this.limit) this.sorted.pop();
  }

  private placeOf(item: Item): number {
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.sorted[middle];
      if (other !== undefined && this.order(other, item) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
