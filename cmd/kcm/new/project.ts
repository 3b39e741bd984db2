/** What an author says of a new project. */
export interface Project {
  /** Of the directory, the program and the image. */
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  /** What npm installs this package from: a range of versions, or file:PATH. Its own version when left out. */
  readonly source?: string | undefined;
}
