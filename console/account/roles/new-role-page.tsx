// A new custom role: the same editor and tester, before anybody holds it.
import '../../styles/policy.css';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { keyFrom } from '../../lib/key-from.ts';
import { useSearchState } from '../../lib/search-state.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { PageHead } from '../../ui/page.tsx';
import { toast } from '../../ui/toast-store.ts';
import { words } from '../../ui/words.ts';
import { policyText } from '../policy/policy.ts';
import { PolicyEditor } from './policy-editor.tsx';
import { shownOf, type RoleFields } from './role-draft.ts';
import { RoleFieldsForm } from './role-fields.tsx';
import { RoleTester } from './role-tester.tsx';
import { roleHref, ROLES_PAGE, type CustomRole } from './roles-queries.ts';
import { ROLE, ROLES } from './roles-words.ts';
import { showStatement } from './show-statement.ts';
import { useRoleTest } from './use-role-test.ts';

interface NewRole extends RoleFields {
  /** Empty while it follows the name. */
  key: string;
}

const EMPTY: NewRole = {
  key: '',
  name: '',
  description: '',
  basePermissions: 'reader',
  policy: policyText([
    { effect: 'allow', actions: ['update*'], resources: ['proj/default:env/test:flag/*'] },
  ]),
};
const PAGE = `${ROLES_PAGE}/new`;
const KEY = /^[a-z0-9][\w.-]{0,255}$/i;

export default function NewRolePage() {
  usePageInfo([{ label: ROLES.account }, { label: ROLES.title, href: ROLES_PAGE }, { label: ROLE.newTitle }]);
  const state = useSearchState(PAGE);
  const { value, change, forget } = useDraft('new-role', EMPTY);
  const test = useRoleTest('new', value, state);
  const [isChecked, setChecked] = useState(false);
  const [, navigate] = useLocation();
  const key = value.key === '' ? keyFrom(value.name) : value.key;
  const call: Call = {
    api: 'flags',
    method: 'POST',
    path: '/roles',
    body: { key, ...shownOf({ ...fieldsIn(value), name: value.name.trim() }) },
  };
  useSayDraft(call);
  const create = useChange<void, CustomRole>(() => call, ['role']);
  const keyError = KEY.test(key) ? undefined : ROLE.keyBad;
  const nameError = value.name.trim() === '' ? ROLE.nameMissing : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (keyError !== undefined || nameError !== undefined || test.isFaulty) return;
    create.mutate(undefined, {
      onSuccess: (role) => {
        forget();
        toast({ text: ROLE.created(role.name), tone: 'ok' });
        navigate(roleHref(role), { replace: true });
      },
    });
  };
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={ROLE.newTitle} meta={ROLE.newText} />
      <div className="pol__edit">
        <form className="stack stack--16" noValidate onSubmit={submit}>
          <ChangeError error={create.error} />
          <Card label={ROLE.about}>
            <div className="stack stack--16">
              <RoleFieldsForm
                fields={value}
                nameError={isChecked ? nameError : undefined}
                onChange={change}
              />
              <Field label={ROLE.key} help={ROLE.keyHelp} error={isChecked ? keyError : undefined}>
                <TextInput
                  isMono
                  autoComplete="off"
                  autoCapitalize="off"
                  spellCheck={false}
                  maxLength={256}
                  value={key}
                  onValue={(text) => change({ key: text })}
                />
              </Field>
            </div>
          </Card>
          <PolicyEditor
            policy={value.policy}
            view={state.get('view') === 'json' ? 'json' : 'rows'}
            marks={test.marks}
            onView={(view) => state.set({ view: view === 'json' ? view : undefined })}
            onChange={(policy) => change({ policy })}
          />
          <div className="row">
            <Button
              type="submit"
              tone="primary"
              isBusy={create.isPending}
              disabledReason={test.isFaulty ? ROLE.faulty : undefined}
            >
              {ROLE.submit}
            </Button>
            <ButtonLink href={ROLES_PAGE}>{words.cancel}</ButtonLink>
          </div>
        </form>
        <RoleTester
          test={test}
          onShow={(index) => {
            state.set({ view: undefined });
            showStatement(index);
          }}
        />
      </div>
    </main>
  );
}

function fieldsIn({ name, description, basePermissions, policy }: NewRole): RoleFields {
  return { name, description, basePermissions, policy };
}
