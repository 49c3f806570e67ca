// One role: its statements beside the tester, its base permissions, and who holds it.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { invalidateTopics } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useMay } from '../../app/me.ts';
import { useSearchState } from '../../lib/search-state.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Badge, Key } from '../../ui/status.tsx';
import { StatementList } from '../policy/statement-list.tsx';
import { PolicyEditor } from './policy-editor.tsx';
import { DeleteRoleDialog, SaveDialog } from './role-dialogs.tsx';
import { fieldsOf, saveCall, shownOf, useRoleDraft } from './role-draft.ts';
import { RoleFieldsForm } from './role-fields.tsx';
import { RoleHolders } from './role-holders.tsx';
import { RoleTester } from './role-tester.tsx';
import { roleHref, ROLES_PAGE, type CustomRole } from './roles-queries.ts';
import { ROLE, ROLES } from './roles-words.ts';
import { showStatement } from './show-statement.ts';
import { useRoleTest } from './use-role-test.ts';

export function RoleEditor({ role }: { role: CustomRole }) {
  const resource = `role/${role.key}`;
  const may = useMay([
    { action: 'updatePolicy', resource },
    { action: 'updateName', resource },
    { action: 'updateDescription', resource },
    { action: 'deleteRole', resource },
  ]);
  const mayChange = may?.slice(0, 3).some(Boolean) === true;
  const mayDelete = may?.[3] === true;
  const state = useSearchState(roleHref(role));
  const draft = useRoleDraft(role);
  const { fields, base, isChanged, isBehind } = draft;
  const test = useRoleTest(role.key, fields, state);
  const [asking, setAsking] = useState<'save' | 'delete'>();
  const [, navigate] = useLocation();
  useSayDraft(isChanged && !test.isFaulty ? saveCall(role.key, base, fields, '') : undefined);
  const reason = test.isFaulty
    ? ROLE.faulty
    : fields.name.trim() === ''
      ? ROLE.nameMissing
      : isChanged
        ? undefined
        : ROLE.noChange;
  return (
    <>
      <PageHead
        title={role.name}
        badge={isChanged && <Badge tone="warn">{ROLE.draft}</Badge>}
        meta={<Key>{role.key}</Key>}
        actions={
          <>
            {mayDelete && (
              <Button tone="danger" icon="trash" onClick={() => setAsking('delete')}>
                {ROLE.delete}
              </Button>
            )}
            {isChanged && <Button onClick={draft.forget}>{ROLE.discard}</Button>}
            {mayChange && (
              <Button tone="primary" disabledReason={reason} onClick={() => setAsking('save')}>
                {ROLE.review}
              </Button>
            )}
          </>
        }
      />
      {may !== undefined && !mayChange && (
        <div className="pol__note">
          <Banner tone="neutral">{ROLE.mayNot}</Banner>
        </div>
      )}
      {isBehind && <ChangedElsewhere role={role} draft={draft} />}
      <div className="pol__edit">
        <div className="stack stack--16">
          {mayChange ? (
            <PolicyEditor
              policy={fields.policy}
              view={state.get('view') === 'json' ? 'json' : 'rows'}
              marks={test.marks}
              onView={(view) => state.set({ view: view === 'json' ? view : undefined })}
              onChange={(policy) => draft.change({ policy })}
            />
          ) : (
            <Card title={ROLE.policy}>
              {role.policy.length === 0 ? (
                <p className="t13 muted">{ROLE.noStatements}</p>
              ) : (
                <StatementList statements={role.policy} />
              )}
            </Card>
          )}
          {mayChange ? (
            <Card label={ROLE.about}>
              <div className="stack stack--16">
                <RoleFieldsForm
                  fields={fields}
                  nameError={fields.name.trim() === '' ? ROLE.nameMissing : undefined}
                  onChange={draft.change}
                />
              </div>
            </Card>
          ) : (
            <Card title={ROLE.base}>
              <p className="t13">{ROLES.bases[role.basePermissions] ?? role.basePermissions}</p>
            </Card>
          )}
          <RoleHolders role={role} />
        </div>
        <RoleTester
          test={test}
          onShow={(index) => {
            state.set({ view: undefined });
            showStatement(index);
          }}
        />
      </div>
      {asking === 'save' && (
        <SaveDialog
          role={role}
          base={base}
          fields={fields}
          failing={test.failing}
          onSaved={() => {
            setAsking(undefined);
            draft.forget();
          }}
          onContested={() => invalidateTopics(['role'])}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === 'delete' && (
        <DeleteRoleDialog
          role={role}
          onDeleted={() => {
            draft.forget();
            navigate(ROLES_PAGE, { replace: true });
          }}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}

interface ChangedElsewhereProps {
  role: CustomRole;
  draft: ReturnType<typeof useRoleDraft>;
}

function ChangedElsewhere({ role, draft: { base, forget, rebase } }: ChangedElsewhereProps) {
  return (
    <div className="pol__note stack stack--8">
      <Banner tone="warn">{ROLE.elsewhere.text}</Banner>
      <JsonDiff before={shownOf(base)} after={shownOf(fieldsOf(role))} />
      <div className="row row--wrap">
        <Button onClick={rebase}>{ROLE.elsewhere.mine}</Button>
        <Button onClick={forget}>{ROLE.elsewhere.theirs}</Button>
      </div>
    </div>
  );
}
