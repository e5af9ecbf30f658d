/**
 * Conditions that a partial index and the queries over it must word alike, or SQLite does not use the index.
 */

/** A copy that may be in front of somebody, or on its way: its send was at least begun. */
export const COPY_BEGUN = "(state in ('sending', 'shown', 'unknown') or (state = 'pending' and part > 0))";
