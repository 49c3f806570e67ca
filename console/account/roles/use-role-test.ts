// The tester beside the editor of a role: one question and the saved cases, asked about the statements as they are now.
import { useState } from 'react';
import type { SearchState } from '../../lib/search-state.ts';
import { checkPolicy } from '../policy/policy.ts';
import { attributesIn, valuesOf, type TypedAttributes } from '../tester/attribute-fields.tsx';
import { useExplained, type PolicyAnswer } from '../tester/explain-queries.ts';
import { useTypedQuestion } from '../tester/question-fields.tsx';
import { failingCases, useCases } from '../tester/saved-cases.tsx';
import type { RoleFields } from './role-draft.ts';
import type { StatementMarks } from './statement-rows.tsx';

export function useRoleTest(
  about: string,
  { policy, basePermissions }: Pick<RoleFields, 'policy' | 'basePermissions'>,
  state: SearchState,
) {
  const question = useTypedQuestion(state);
  const saved = useCases(about);
  const [attributes, setAttributes] = useState<TypedAttributes>({});
  const attributeNames = attributesIn(policy);
  const check = checkPolicy(policy, { mayBeEmpty: true });
  const isFaulty = 'message' in check;
  const subject = isFaulty
    ? undefined
    : {
        policy: check.statements,
        baseRole: basePermissions,
        roleAttributes: valuesOf(attributes, attributeNames),
      };
  const { asked } = question;
  const { cases } = saved;
  const explained = useExplained(subject, [
    ...(asked === undefined ? [] : [asked]),
    ...cases.map(({ action, resource }) => ({ action, resource })),
  ]);
  const answer = asked && explained.answerTo(asked);
  return {
    ...explained,
    question,
    saved,
    attributes: { names: attributeNames, typed: attributes, onChange: setAttributes },
    isFaulty,
    answer,
    marks: marksOf(answer),
    failing: failingCases(cases, explained.answerTo).length,
  };
}

export type RoleTest = ReturnType<typeof useRoleTest>;

/** Inherited statements stand in no row. */
function marksOf(answer: PolicyAnswer | undefined): StatementMarks {
  const own = (list: PolicyAnswer['near']) =>
    list.flatMap(({ index, isInherited }) => (isInherited || index === undefined ? [] : [index]));
  return new Map([
    ...own(answer?.near ?? []).map((index) => [index, 'nearly'] as const),
    ...own(answer?.decidedBy ?? []).map((index) => [index, 'decides'] as const),
  ]);
}
