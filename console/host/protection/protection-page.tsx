// The protected branches of a repository with their rules in sentences, and the editor of one rule.
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SelectInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Section } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { ruleHref, settingsHref, type RepositoryPlace } from '../place.ts';
import type { Branch, Repository } from '../repository.ts';
import { SettingsFrame } from '../settings/settings-frame.tsx';
import { usePlace } from '../use-place.ts';
import { RuleEditor } from './rule-editor.tsx';
import { draftOfProtection } from './protection.ts';
import { useBranch, useProtectedBranches, useProtection } from './protection-queries.ts';
import { PROTECTION } from './protection-words.ts';
import { RuleWords } from './rule-words.tsx';

export default function ProtectionPage() {
  const { owner, repo, path: branch } = usePlace();
  const place = useMemo(() => ({ owner, repo }), [owner, repo]);
  const [isChoosing, setChoosing] = useState(false);
  // A key that comes before the repository is known is not lost: the dialog opens with it.
  useKeys({ c: () => setChoosing(true) }, { isOn: branch === '' });
  return (
    <SettingsFrame
      place={place}
      part="branches"
      crumbs={branch === '' ? [] : [{ label: branch, copy: branch }]}
    >
      {(repository) =>
        branch === '' ? (
          <Rules
            place={place}
            repository={repository}
            isChoosing={isChoosing && !repository.archived}
            onChoosing={setChoosing}
          />
        ) : (
          <Rule key={branch} place={place} repository={repository} branch={branch} />
        )
      }
    </SettingsFrame>
  );
}

interface RulesProps {
  place: RepositoryPlace;
  repository: Repository;
}

interface ChoosingProps {
  /** The branch that is to be protected. */
  isChoosing: boolean;
  onChoosing: (isChoosing: boolean) => void;
}

function Rules({ place, repository, isChoosing, onChoosing }: RulesProps & ChoosingProps) {
  const list = useProtectedBranches(place, true);
  const { archived, default_branch: defaultBranch } = repository;
  const columns = useMemo(() => columnsOf(place, defaultBranch), [place, defaultBranch]);
  const rows = list.rows ?? [];
  const protect = (
    <Button
      tone="primary"
      icon="plus"
      keys="c"
      disabledReason={archived ? PROTECTION.archived : undefined}
      onClick={() => onChoosing(true)}
    >
      {PROTECTION.protect}
    </Button>
  );
  return (
    <Section title={PROTECTION.title} actions={protect}>
      <div className="stack">
        <p className="t13 muted">{PROTECTION.text}</p>
        {list.error !== null ? (
          <ReadProblem error={list.error} onRetry={list.retry} />
        ) : (
          <Table
            label={PROTECTION.title}
            columns={columns}
            rows={rows}
            rowKey={({ name }) => name}
            rowHref={({ name }) => ruleHref(place, name)}
            isLoading={list.rows === undefined}
            emptyState={
              <EmptyState icon="shield" title={PROTECTION.empty.title} text={PROTECTION.empty.text} />
            }
            footer={<ListFoot list={{ ...list, rows }} nouns={PROTECTION.nouns} />}
          />
        )}
      </div>
      {isChoosing && (
        <ChooseBranch place={place} defaultBranch={defaultBranch} onClose={() => onChoosing(false)} />
      )}
    </Section>
  );
}

function columnsOf(place: RepositoryPlace, defaultBranch: string): TableColumn<Branch>[] {
  return [
    {
      id: 'branch',
      head: PROTECTION.branch,
      isMain: true,
      cell: ({ name }) => <b className="rset__word">{name}</b>,
      aside: ({ name }) => name === defaultBranch && <Badge>{PROTECTION.default}</Badge>,
    },
    {
      id: 'rule',
      head: PROTECTION.rule,
      cell: ({ name }) => <RuleWords place={place} branch={name} />,
    },
  ];
}

interface ChooseBranchProps {
  place: RepositoryPlace;
  defaultBranch: string;
  onClose: () => void;
}

function ChooseBranch({ place, defaultBranch, onClose }: ChooseBranchProps) {
  const [, navigate] = useLocation();
  const list = useProtectedBranches(place, false);
  const [chosen, setChosen] = useState<string>();
  const names = (list.rows ?? []).map(({ name }) => name);
  const branch = chosen ?? (names.includes(defaultBranch) ? defaultBranch : (names[0] ?? ''));
  const isNone = list.rows !== undefined && names.length === 0;
  return (
    <FormDialog
      title={PROTECTION.protect}
      width={480}
      action={PROTECTION.next}
      disabledReason={isNone ? PROTECTION.noBranches : undefined}
      isBusy={list.rows === undefined && list.error === null}
      error={list.error}
      onClose={onClose}
      onSubmit={() => {
        if (branch === '') return;
        onClose();
        navigate(ruleHref(place, branch));
      }}
    >
      <Field label={PROTECTION.choose} help={PROTECTION.chooseHelp}>
        <SelectInput
          value={branch}
          onValue={setChosen}
          options={names.map((name) => ({ value: name, label: name }))}
        />
      </Field>
      {list.hasMore && (
        <div>
          <Button size="sm" isBusy={list.isReadingMore} onClick={list.readMore}>
            {PROTECTION.more}
          </Button>
        </div>
      )}
    </FormDialog>
  );
}

function Rule({ place, repository, branch }: RulesProps & { branch: string }) {
  const found = useBranch(place, branch);
  const isProtected = found.data?.protected === true;
  const { data: protection, error, refetch } = useProtection(place, branch, isProtected);
  const back = (
    <div>
      <ButtonLink href={settingsHref(place, 'branches')} size="sm" icon="left">
        {PROTECTION.back}
      </ButtonLink>
    </div>
  );
  if (found.error !== null && found.data === undefined)
    return (
      <div className="stack">
        {found.error.status === 404 ? (
          <EmptyState icon="branch" title={PROTECTION.gone} />
        ) : (
          <ReadProblem error={found.error} onRetry={() => void found.refetch()} />
        )}
        {back}
      </div>
    );
  if (found.data === undefined || (isProtected && protection === undefined))
    return error === null ? (
      <Skeleton rows={8} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} />
    );
  return (
    <div className="stack rset__narrow">
      {back}
      <RuleEditor
        place={place}
        repository={repository}
        branch={branch}
        saved={isProtected && protection !== undefined ? draftOfProtection(protection) : undefined}
        hasSignatures={isProtected && protection?.required_signatures.enabled === true}
      />
    </div>
  );
}
