/**
 * A name, or part of one, as it is compared where case does not matter: the same on every database, whatever its locale. Letter by letter, so that a
 * part of a name folds to a part of the folded name.
 */
export const foldName = (name: string): string =>
  Array.from(name, (letter) => letter.toUpperCase().toLowerCase()).join('');
