// Reactions to a text: how many of each, and one's own added or taken away by a click.
import { useState } from 'react';
import { useMe } from '../../app/me.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { formatCount } from '../../ui/format.ts';
import { Popover } from '../../ui/popover.tsx';
import type { RepositoryPlace } from '../place.ts';
import { REACTIONS, type ReactionCounts, type ReactionName } from './issue.ts';
import { useReact, useReactions, type SubjectPath } from './issue-queries.ts';
import { ISSUE } from './issue-words.ts';

const NAMES = Object.keys(REACTIONS) as ReactionName[];

export interface ReactionsProps {
  place: RepositoryPlace;
  subject: SubjectPath;
  counts: ReactionCounts | undefined;
  /** Why nobody can react; undefined where one can. */
  disabledReason?: string | undefined;
}

export function Reactions({ place, subject, counts = {}, disabledReason }: ReactionsProps) {
  const { data: me } = useMe();
  const present = NAMES.filter((name) => (counts[name] ?? 0) > 0);
  const [isAsked, setAsked] = useState(false);
  // Which of them are one's own is asked for when somebody is about to react.
  const { rows } = useReactions(place, subject, isAsked && present.length > 0);
  const react = useReact(place, subject);
  const own = new Map(
    rows?.filter(({ user }) => user?.login === me?.username).map(({ content, id }) => [content, id]),
  );
  const whose = (name: ReactionName) =>
    rows
      ?.filter(({ content }) => content === name)
      .map(({ user }) => user?.login ?? '')
      .join(', ');
  const toggle = (name: ReactionName) => react.mutate(own.get(name) ?? name);
  const ask = { onPointerEnter: () => setAsked(true), onFocus: () => setAsked(true) };
  if (disabledReason !== undefined && present.length === 0) return null;
  return (
    <div className="reactions" role="group" aria-label={ISSUE.reactions}>
      {present.map((name) => {
        const words = ISSUE.reacted(ISSUE.reactionNames[name], formatCount(counts[name] ?? 0));
        return (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={own.has(name)}
            aria-label={words}
            {...ask}
            title={whose(name)}
            aria-disabled={disabledReason === undefined ? undefined : true}
            onClick={() => disabledReason === undefined && toggle(name)}
          >
            <span aria-hidden="true">{REACTIONS[name]}</span> {formatCount(counts[name] ?? 0)}
          </button>
        );
      })}
      {disabledReason === undefined && (
        <Popover
          label={ISSUE.react}
          trigger={<Button tone="ghost" size="sm" icon="plus" label={ISSUE.react} {...ask} />}
        >
          {(close) => (
            <div className="reactions__all">
              {NAMES.map((name) => (
                <button
                  key={name}
                  type="button"
                  aria-label={ISSUE.reactionNames[name]}
                  aria-pressed={own.has(name)}
                  onClick={() => {
                    toggle(name);
                    close();
                  }}
                >
                  {REACTIONS[name]}
                </button>
              ))}
            </div>
          )}
        </Popover>
      )}
      <ChangeError error={react.error} />
    </div>
  );
}
