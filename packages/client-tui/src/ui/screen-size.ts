/** The size of the terminal in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}
