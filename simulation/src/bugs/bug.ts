/** A piece of a source file, and what takes its place. */
export interface Change {
  /** Under `packages/`. */
  readonly file: string;
  /** Stands once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A defect that is put back. */
export interface Bug extends Change {
  readonly name: string;
  /** What else has to change, where two places do the same. */
  readonly also?: readonly Change[];
  /** The decision that describes the fix, where the defect was once there. */
  readonly decision?: string;
}
