// What people react to. Reactions of all kinds of subjects are in one table, by a text that names the subject.

/** Each kind has a column with the counts of its reactions. */
export type SubjectKind = 'issue' | 'comment';

export interface ReactionSubject {
  kind: SubjectKind;
  id: number;
}

export function subjectOf(kind: SubjectKind, id: number): ReactionSubject {
  return { kind, id };
}

/** As rows of reactions name it. */
export function subjectKeyOf({ kind, id }: ReactionSubject): string {
  return `${kind}/${id}`;
}
