// The editor of a branch's rule: sentences beside switches. What a save would change is shown before it is made.
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { classNames } from '../../ui/class-names.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/toast-store.ts';
import { settingsHref, type RepositoryPlace } from '../place.ts';
import { TOPICS } from '../queries.ts';
import { isOfOrganization, type Repository } from '../repository.ts';
import {
  compareRules,
  NEW_RULE,
  sentencesOf,
  type ProtectionDraft,
  type SentenceChange,
} from './protection.ts';
import { dropSignaturesCall, removeProtectionCall, saveProtectionCall } from './protection-queries.ts';
import { PROTECTION, RULE_FORM } from './protection-words.ts';
import { RuleFields } from './rule-fields.tsx';

export interface RuleEditorProps {
  place: RepositoryPlace;
  repository: Repository;
  branch: string;
  /** Absent where the branch is not protected yet. */
  saved: ProtectionDraft | undefined;
  hasSignatures: boolean;
}

export function RuleEditor({ place, repository, branch, saved, hasSignatures }: RuleEditorProps) {
  // What was not touched follows what is saved, so that the changes of others stay.
  const kept = useDraft<{ patch: Partial<ProtectionDraft> }>(`rule:${repository.id}:${branch}`, {
    patch: {},
  });
  const [act, setAct] = useState<'save' | 'remove'>();
  const draft: ProtectionDraft = { ...(saved ?? NEW_RULE), ...kept.value.patch };
  const changes = compareRules(saved, draft);
  const isNew = saved === undefined;
  const call = saveProtectionCall(place, branch, draft);
  useSayDraft(changes.length > 0 ? call : undefined);
  const reason = repository.archived
    ? PROTECTION.archived
    : changes.length === 0
      ? RULE_FORM.unchanged
      : undefined;
  const close = () => setAct(undefined);
  return (
    <>
      <h2 className="h3">{isNew ? PROTECTION.newRule(branch) : PROTECTION.ruleOf(branch)}</h2>
      {hasSignatures && <Signatures place={place} branch={branch} />}
      <RuleFields
        place={place}
        isOrganization={isOfOrganization(repository)}
        value={draft}
        onChange={(patch) => kept.change({ patch: { ...kept.value.patch, ...patch } })}
      />
      <Card title={PROTECTION.says}>
        <ul className="rset__parts t13">
          {sentencesOf(draft).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </Card>
      <div className={classNames('rset__save', changes.length > 0 && 'has-changes')}>
        <Button tone="primary" disabledReason={reason} onClick={() => setAct('save')}>
          {RULE_FORM.save}
        </Button>
        {Object.keys(kept.value.patch).length > 0 && (
          <Button onClick={kept.forget}>{RULE_FORM.discard}</Button>
        )}
        {!isNew && changes.length > 0 && (
          <span className="t13 muted">{RULE_FORM.changes(changes.length)}</span>
        )}
        {!isNew && (
          <span className="push">
            <Button
              tone="danger"
              icon="trash"
              disabledReason={repository.archived ? PROTECTION.archived : undefined}
              onClick={() => setAct('remove')}
            >
              {RULE_FORM.remove}
            </Button>
          </span>
        )}
      </div>
      {act === 'save' && (
        <SaveDialog
          branch={branch}
          isNew={isNew}
          call={call}
          changes={changes}
          onSaved={() => {
            kept.forget();
            close();
          }}
          onClose={close}
        />
      )}
      {act === 'remove' && saved !== undefined && (
        <RemoveDialog place={place} branch={branch} saved={saved} onRemoved={kept.forget} onClose={close} />
      )}
    </>
  );
}

interface SaveDialogProps {
  branch: string;
  isNew: boolean;
  call: Call;
  changes: readonly SentenceChange[];
  onSaved: () => void;
  onClose: () => void;
}

function SaveDialog({ branch, isNew, call, changes, onSaved, onClose }: SaveDialogProps) {
  const save = useChange<Call>((one) => one, TOPICS);
  return (
    <ConfirmDialog
      title={isNew ? RULE_FORM.protectTitle(branch) : RULE_FORM.saveTitle(branch)}
      confirmLabel={isNew ? RULE_FORM.protectConfirm : RULE_FORM.saveConfirm}
      isBusy={save.isPending}
      error={save.error ?? undefined}
      onClose={onClose}
      onConfirm={() =>
        save.mutate(call, {
          onSuccess: () => {
            onSaved();
            toast({ text: RULE_FORM.saved(branch), tone: 'ok' });
          },
        })
      }
    >
      <Difference changes={changes} />
    </ConfirmDialog>
  );
}

/** Signs and words, not colours alone. */
function Difference({ changes }: { changes: readonly SentenceChange[] }) {
  return (
    <ul className="rset__diff">
      {changes.map(({ kind, text }) => (
        <li key={kind + text} className={kind === 'new' ? 'is-new' : 'is-gone'}>
          <Icon name={kind === 'new' ? 'plus' : 'minus'} />
          <span>
            <span className="vh">{kind === 'new' ? RULE_FORM.new : RULE_FORM.gone}: </span>
            {text}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface RemoveDialogProps {
  place: RepositoryPlace;
  branch: string;
  saved: ProtectionDraft;
  onRemoved: () => void;
  onClose: () => void;
}

function RemoveDialog({ place, branch, saved, onRemoved, onClose }: RemoveDialogProps) {
  const [, navigate] = useLocation();
  const call = removeProtectionCall(place, branch);
  const remove = useChange<Call>((one) => one, TOPICS);
  return (
    <ConfirmDialog
      title={RULE_FORM.removeTitle(branch)}
      tone="danger"
      confirmLabel={RULE_FORM.removeConfirm}
      typeToConfirm={branch}
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(call, {
          onSuccess: () => {
            onRemoved();
            navigate(settingsHref(place, 'branches'));
            toast({ text: RULE_FORM.removed(branch) });
          },
        })
      }
    >
      <p>{RULE_FORM.removeText}</p>
      <Difference changes={sentencesOf(saved).map((text) => ({ kind: 'gone', text }))} />
    </ConfirmDialog>
  );
}

function Signatures({ place, branch }: { place: RepositoryPlace; branch: string }) {
  const drop = useChange<void>(() => dropSignaturesCall(place, branch), TOPICS);
  return (
    <>
      <Banner
        tone="warn"
        action={
          <Button size="sm" isBusy={drop.isPending} onClick={() => drop.mutate()}>
            {RULE_FORM.dropSignatures}
          </Button>
        }
      >
        {RULE_FORM.signatures}
      </Banner>
      <ChangeError error={drop.error} />
    </>
  );
}
