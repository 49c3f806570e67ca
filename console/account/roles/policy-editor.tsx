// The statements of a role as rows or as JSON: both show one value, so that switching loses nothing.
import { Banner } from '../../ui/banner.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { checkPolicy, policyText } from '../policy/policy.ts';
import { ROLE } from './roles-words.ts';
import { readRows } from './statement-row-model.ts';
import { StatementRows, type StatementMarks } from './statement-rows.tsx';

export type PolicyViewKind = 'rows' | 'json';

export interface PolicyEditorProps {
  /** As it is typed. */
  policy: string;
  view: PolicyViewKind;
  marks: StatementMarks;
  onView: (view: PolicyViewKind) => void;
  onChange: (policy: string) => void;
}

export function PolicyEditor({ policy, view, marks, onView, onChange }: PolicyEditorProps) {
  const check = checkPolicy(policy, { mayBeEmpty: true });
  const fault = 'message' in check ? check.message : undefined;
  const rows = readRows(policy);
  return (
    <Card
      title={ROLE.policy}
      actions={
        <Segmented
          size="sm"
          label={ROLE.view}
          value={view}
          onChange={onView}
          options={[
            { value: 'rows', label: ROLE.rows },
            { value: 'json', label: ROLE.json },
          ]}
        />
      }
    >
      {view === 'json' ? (
        <Field label={ROLE.jsonLabel} error={fault}>
          <TextArea
            isMono
            rows={20}
            spellCheck={false}
            autoComplete="off"
            value={policy}
            onValue={onChange}
          />
        </Field>
      ) : rows === undefined ? (
        <Banner tone="warn">
          {ROLE.rowsFault} {fault}
        </Banner>
      ) : (
        <div className="stack">
          <StatementRows
            statements={rows}
            marks={marks}
            onChange={(statements) => onChange(policyText(statements))}
          />
          {fault !== undefined && <Banner tone="warn">{fault}</Banner>}
        </div>
      )}
    </Card>
  );
}
