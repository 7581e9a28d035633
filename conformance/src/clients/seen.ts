/** What the user of a client saw, in the order in which it came. */
export class Seen {
  /** One list for each request: progress begins again with the next. */
  readonly #progress: number[][] = [];
  readonly statuses: string[] = [];
  readonly errors: string[] = [];
  /** Messages that came with a status and tell how far the task is, such as `Counted 3/30`. */
  readonly messages: string[] = [];

  /** The client sends another request. */
  begin(): void {
    this.#progress.push([]);
  }

  progress(value: number): void {
    if (this.#progress.length === 0) this.begin();
    this.#progress.at(-1)?.push(value);
  }

  /** Says in words what was seen. */
  inWords(): string {
    const withMessages = this.messages.length > 0 ? ", with how far it is in `statusMessage`" : "";
    const parts = [
      ...this.#progress.filter((values) => values.length > 0).map(progressInWords),
      ...(this.statuses.length > 0 ? [`status ${this.statuses.join(" → ")}${withMessages}`] : []),
      ...this.errors.map((error) => `error “${error}”`),
    ];
    return parts.length === 0 ? "nothing but the result" : parts.join("; ");
  }

  /** Says where the progress of a request has gaps, or does not rise; nothing when all is right. */
  problems(): readonly string[] {
    return this.#progress.filter((values) => flawsOf(values).length > 0).map(progressInWords);
  }

  /**
   * Says what is missing of the progress from 1 to `goal`; nothing when all is there. What comes together with the
   * result may get lost in a client, so that its last values may be missing.
   */
  missing(goal: number): readonly string[] {
    const values = this.#progress.flat();
    const [first = "nothing", last = 0] = [values[0], values.at(-1)];
    const isWhole = first === 1 && last >= goal - mayGetLost;
    return isWhole ? [] : [`its user saw progress from ${first} to ${last}, not from 1 to ${goal}`];
  }

  /** Notes the status of a task; the same twice in a row is one. */
  status({
    status,
    statusMessage = "",
  }: {
    readonly status: string;
    readonly statusMessage?: string | undefined;
  }): void {
    if (this.statuses.at(-1) !== status) this.statuses.push(status);
    if (/\d+\/\d+/.test(statusMessage)) this.messages.push(statusMessage);
  }

  error(error: unknown): void {
    this.errors.push(sentenceOf(error));
  }
}

const maxSentenceLength = 160;
const mayGetLost = 2;

/** One line of whatever was thrown. */
export function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, " ").trim().slice(0, maxSentenceLength);
}

/** Says which progress came, and where values are missing, come twice or go back. */
export function progressInWords(progress: readonly number[]): string {
  const flaws = flawsOf(progress);
  const range = progress.length === 1 ? `${progress[0]}` : `${progress[0]} to ${progress.at(-1)}`;
  return `progress ${range}, ${flaws.length === 0 ? "no gap, no repeat" : flaws.join(", ")}`;
}

function flawsOf(progress: readonly number[]): readonly string[] {
  const steps = progress.slice(1).map((value, index) => value - (progress[index] ?? value));
  const gaps = steps.filter((step) => step > 1).length;
  const repeats = steps.filter((step) => step < 1).length;
  return [...counted(gaps, "gap"), ...counted(repeats, "repeat")];
}

function counted(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${noun}${count === 1 ? "" : "s"}`];
}
