/** Something that the embedding program adds to the menu, such as "kill the server". */
export interface ExtraAction {
  /** One character that is not used by the menu itself. */
  readonly key: string;
  readonly label: string;
  /** What it resolves to is shown as a notice; what it throws, as an error. */
  run(): Promise<string | undefined> | string | undefined;
}
