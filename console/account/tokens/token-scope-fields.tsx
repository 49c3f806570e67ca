// The scope of a new token: by task, by role, by custom roles, or by statements as JSON.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox, RadioCards } from '../../ui/choice.tsx';
import { Field, FieldError } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { TextArea } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { ErrorState, NoPermission, Skeleton } from '../../ui/states.tsx';
import { scopeKindOf, type ScopeKind } from './token-draft.ts';
import { mayGiveStatements, rolesUpTo } from './token-model.ts';
import { checkPolicy } from '../policy/policy.ts';
import { roleWords } from './token-policy-view.tsx';
import { TaskFields, type ScopeFieldsProps } from './token-task-fields.tsx';
import { useCustomRoles } from './tokens-queries.ts';
import { FORM } from './tokens-words.ts';

const KINDS: readonly ScopeKind[] = ['task', 'role', 'custom', 'policy'];
const ROLES_PAGE = 50;

export function ScopeFields(props: ScopeFieldsProps & { ownRole: string }) {
  const { draft, onChange, ownRole } = props;
  const kind = scopeKindOf(draft, ownRole);
  return (
    <fieldset className="stack">
      <legend className="fld__l">{FORM.scope}</legend>
      {mayGiveStatements(ownRole, draft.isService) ? (
        <div>
          <Segmented
            label={FORM.scope}
            value={kind}
            onChange={(scopeKind) => onChange({ scopeKind })}
            options={KINDS.map((value) => ({ value, label: FORM.scopes[value] }))}
          />
        </div>
      ) : (
        <p className="help">{FORM.onlyRoles}</p>
      )}
      {kind === 'task' && <TaskFields {...props} />}
      {kind === 'role' && <RoleFields {...props} />}
      {kind === 'custom' && <CustomRoleFields {...props} />}
      {kind === 'policy' && <PolicyField {...props} />}
    </fieldset>
  );
}

function RoleFields({ draft, errors, onChange, ownRole }: ScopeFieldsProps & { ownRole: string }) {
  const roles = rolesUpTo(ownRole);
  return (
    <>
      {roles.length > 0 && (
        <RadioCards
          label={<span className="vh">{FORM.role}</span>}
          value={draft.role}
          onChange={(role) => onChange({ role })}
          options={roles.map((value) => {
            const [label, text] = roleWords(value, draft.isService);
            return { value, label, text };
          })}
        />
      )}
      {errors.role !== undefined && <FieldError>{errors.role}</FieldError>}
    </>
  );
}

function CustomRoleFields({ draft, errors, onChange }: ScopeFieldsProps) {
  const [limit, setLimit] = useState(ROLES_PAGE);
  const { data, error, refetch } = useCustomRoles(limit);
  if (error !== null && data === undefined)
    return error.access === undefined ? (
      <ErrorState error={error} isPlain onRetry={() => void refetch()} />
    ) : (
      <NoPermission {...error.access} isPlain />
    );
  if (data === undefined) return <Skeleton rows={3} />;
  if (data.items.length === 0) return <p className="help">{FORM.noCustom}</p>;
  const chosen = new Set(draft.customRoles);
  return (
    <div className="stack stack--8" role="group" aria-label={FORM.custom}>
      {data.items.map(({ key, name, description }) => (
        <Checkbox
          key={key}
          label={
            <>
              {name} <code className="key">{key}</code>
            </>
          }
          help={description === '' ? undefined : description}
          isChecked={chosen.has(key)}
          onChange={(isChecked) =>
            onChange({
              customRoles: isChecked ? [...chosen, key] : draft.customRoles.filter((one) => one !== key),
            })
          }
        />
      ))}
      {data.totalCount > data.items.length && (
        <div>
          <Button size="sm" onClick={() => setLimit(limit + ROLES_PAGE)}>
            {FORM.moreRoles}
          </Button>
        </div>
      )}
      {errors.custom !== undefined && <FieldError>{errors.custom}</FieldError>}
    </div>
  );
}

function PolicyField({ draft, errors, onChange }: ScopeFieldsProps) {
  const [isLeft, setLeft] = useState(false);
  const check = checkPolicy(draft.policy);
  const fault = 'message' in check && isLeft ? check.message : undefined;
  return (
    <Field label={FORM.policy} help={FORM.policyHelp} error={errors.policy ?? fault}>
      <TextArea
        isMono
        rows={12}
        spellCheck={false}
        autoComplete="off"
        value={draft.policy}
        onValue={(policy) => onChange({ policy })}
        onBlur={() => setLeft(true)}
      />
      {'statements' in check && (
        <p className="t12 ok" role="status">
          <Icon name="check" size={12} /> {FORM.policyFits(check.statements.length)}
        </p>
      )}
    </Field>
  );
}
