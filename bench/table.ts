/** Lines up cells under their headings; numbers to the right. The first row is the heading. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const numeric = head.map((_, column) => body.every((row) => /^([-+]?[\d.,]+ ?[*%]?|–|)$/.test(row[column] ?? '')));
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => (numeric[column] ? (row[column] ?? '').padStart(width) : (row[column] ?? '').padEnd(width)))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...body.map(line)].join('\n');
}
