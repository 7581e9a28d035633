/** A defect that is put back: a piece of a source file, and what takes its place. */
export interface Bug {
  readonly name: string;
  /** Under `packages/`. */
  readonly file: string;
  /** Stands once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The mode or theme in which it shows most: it is hunted in such plans first. */
  readonly shows?: string;
  /** It is hunted where the store is a database. */
  readonly isDatabase?: true;
}
