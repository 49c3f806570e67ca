// Which changes something receives: all, or those that statements name.
import { RadioCards } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea } from '../../ui/input.tsx';
import { checkPolicy, type PolicyStatement } from '../policy/policy.ts';
import { FORM } from './webhooks-words.ts';

export interface PolicyDraft {
  isAll: boolean;
  text: string;
}

const EXAMPLE: PolicyStatement[] = [
  { effect: 'allow', actions: ['*'], resources: ['proj/*:env/production:flag/*'] },
];

export function policyDraftOf(statements: readonly PolicyStatement[]): PolicyDraft {
  const isAll = statements.length === 0;
  return { isAll, text: JSON.stringify(isAll ? EXAMPLE : statements, undefined, 2) };
}

/** Undefined where what was typed is no policy. */
export function statementsOf({ isAll, text }: PolicyDraft): PolicyStatement[] | undefined {
  if (isAll) return [];
  const check = checkPolicy(text);
  return 'statements' in check ? check.statements : undefined;
}

export interface PolicyFieldsProps {
  draft: PolicyDraft;
  onChange: (draft: PolicyDraft) => void;
}

export function PolicyFields({ draft, onChange }: PolicyFieldsProps) {
  const check = draft.isAll ? undefined : checkPolicy(draft.text);
  return (
    <div className="stack">
      <RadioCards
        label={FORM.policy}
        value={draft.isAll ? 'all' : 'some'}
        onChange={(value) => onChange({ ...draft, isAll: value === 'all' })}
        options={[
          { value: 'all', label: FORM.policies.all },
          { value: 'some', label: FORM.policies.some },
        ]}
      />
      {check !== undefined && (
        <Field
          label={FORM.statements}
          help={FORM.statementsHelp}
          error={'message' in check ? check.message : undefined}
        >
          <TextArea
            isMono
            rows={7}
            spellCheck={false}
            value={draft.text}
            onValue={(text) => onChange({ ...draft, text })}
          />
        </Field>
      )}
    </div>
  );
}
