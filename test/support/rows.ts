/** Whether every row of a table is tried, as at night: `ROWS=all`. The gate tries some, one of each kind. */
export const allRows = process.env.ROWS === 'all';
