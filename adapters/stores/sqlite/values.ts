/** What SQLite keeps and gives back. */

/** A value as SQLite keeps it. */
export type Value = string | number | null;
/** One row of a result, in the order of the columns selected. */
export type Row = readonly Value[];
