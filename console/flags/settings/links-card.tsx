// Links of a flag to what it belongs to. They lead elsewhere, and are only ever followed by hand.
import { useState, type FormEvent } from 'react';
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useFlagPermissions } from '../permissions.ts';
import { betaCall, LINKS_CHANGED, linksPath, useFlagLinks, type FlagLink } from './settings-queries.ts';
import { LINK_WORDS as WORDS, SETTINGS_WORDS } from './settings-words.ts';

const isWeb = (text: string) => /^https?:\/\/\S+$/i.test(text);
const nameOf = ({ title, _deepLink }: FlagLink) => (title === undefined || title === '' ? _deepLink : title);

export function LinksCard({ project, flag }: { project: string; flag: string }) {
  const { data, error, refetch } = useFlagLinks(project, flag);
  const { may } = useFlagPermissions(project, flag);
  const [open, setOpen] = useState<'new' | FlagLink>();
  const base = linksPath(project, flag);
  const remove = useChange<FlagLink>(
    ({ _id }) => betaCall({ method: 'DELETE', path: `${base}/${encodeURIComponent(_id)}` }),
    LINKS_CHANGED,
  );
  return (
    <Card
      title={WORDS.title}
      icon="link"
      actions={
        may('createFlagLink') && (
          <Button size="sm" icon="plus" onClick={() => setOpen('new')}>
            {SETTINGS_WORDS.add}
          </Button>
        )
      }
    >
      <ChangeError error={remove.error} />
      {data === undefined && error === null && <Skeleton lines={2} />}
      {data === undefined && error !== null && (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      )}
      {data?.items.length === 0 && <p className="muted t13">{WORDS.none}</p>}
      <ul className="set-rows">
        {data?.items.map((link) => (
          <li key={link._id}>
            <span className="grow two">
              {isWeb(link._deepLink) ? (
                <TextLink href={link._deepLink} isExternal>
                  {nameOf(link)}
                </TextLink>
              ) : (
                <b>{nameOf(link)}</b>
              )}
              {link.description !== undefined && <small>{link.description}</small>}
            </span>
            {may('updateFlagLink') && (
              <Button
                tone="ghost"
                size="sm"
                icon="pen"
                label={WORDS.edit(nameOf(link))}
                onClick={() => setOpen(link)}
              />
            )}
            {may('deleteFlagLink') && (
              <Button
                tone="ghost"
                size="sm"
                icon="trash"
                label={WORDS.remove(nameOf(link))}
                isBusy={remove.isPending && remove.variables._id === link._id}
                onClick={() =>
                  remove.mutate(link, { onSuccess: () => toast({ text: WORDS.removed(nameOf(link)) }) })
                }
              />
            )}
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <LinkDialog base={base} link={open === 'new' ? undefined : open} onClose={() => setOpen(undefined)} />
      )}
    </Card>
  );
}

interface LinkDialogProps {
  base: string;
  /** Absent to add one. */
  link: FlagLink | undefined;
  onClose: () => void;
}

function LinkDialog({ base, link, onClose }: LinkDialogProps) {
  const [url, setUrl] = useState(link?._deepLink ?? '');
  const [title, setTitle] = useState(link?.title ?? '');
  const [description, setDescription] = useState(link?.description ?? '');
  const [isTried, setTried] = useState(false);
  const texts = {
    ...(title.trim() !== '' && { title: title.trim() }),
    ...(description.trim() !== '' && { description: description.trim() }),
  };
  const call: Call =
    link === undefined
      ? betaCall({ method: 'POST', path: base, body: { deepLink: url.trim(), ...texts } })
      : betaCall({
          method: 'PATCH',
          path: `${base}/${encodeURIComponent(link._id)}`,
          body: [
            { op: 'add', path: '/title', value: title.trim() },
            { op: 'add', path: '/description', value: description.trim() },
          ],
        });
  useSayDraft(call);
  const save = useChange<Call>((one) => one, LINKS_CHANGED);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (link !== undefined || isWeb(url.trim())) save.mutate(call, { onSuccess: onClose });
  };
  return (
    <Dialog
      title={link === undefined ? WORDS.addTitle : WORDS.editTitle}
      width={520}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{SETTINGS_WORDS.cancel}</Button>
          <Button type="submit" form="link-form" tone="primary" isBusy={save.isPending}>
            {link === undefined ? WORDS.add : WORDS.save}
          </Button>
        </>
      }
    >
      <form id="link-form" className="stack stack--16" noValidate onSubmit={submit}>
        <ChangeError error={save.error} />
        {link === undefined && (
          <Field label={WORDS.url} error={isTried && !isWeb(url.trim()) && WORDS.urlBad}>
            <TextInput isMono type="url" maxLength={2000} value={url} onValue={setUrl} />
          </Field>
        )}
        <Field label={WORDS.name} optional>
          <TextInput maxLength={1000} value={title} onValue={setTitle} />
        </Field>
        <Field label={WORDS.description} optional>
          <TextInput maxLength={1000} value={description} onValue={setDescription} />
        </Field>
      </form>
    </Dialog>
  );
}
