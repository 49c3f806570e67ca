// Brings a statement of the editor into view, and the focus with it.

/** The row is `StatementRows`' own; it may be drawn only now. */
export const statementId = (index: number) => `statement-${index + 1}`;

export function showStatement(index: number): void {
  requestAnimationFrame(() => {
    const row = document.getElementById(statementId(index));
    row?.scrollIntoView({ block: 'center' });
    row?.focus({ preventScroll: true });
  });
}
