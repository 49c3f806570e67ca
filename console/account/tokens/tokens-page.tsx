// Access tokens: the list, one of them beside it, the form of a new one, and a secret that is shown once. The address says which.
import '../../styles/token-pages.css';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Chips } from '../../ui/chips.tsx';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState, ErrorState, NoPermission } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { prefetch } from '../../api/read.ts';
import type { TokenUse } from '../../api/types/signalbox.ts';
import { NewTokenPage } from './token-form.tsx';
import { TokenPanel, type TokenAct } from './token-panel.tsx';
import { SecretDialog, type NewSecret } from './token-secret-dialog.tsx';
import { tokenRead, useTokens } from './tokens-queries.ts';
import { FEW_COLUMNS, tokenColumns, type TokenHref } from './tokens-table.tsx';
import { TOKENS } from './tokens-words.ts';

const HERE = '/account/tokens';
const NEW = `${HERE}?new=1`;

export default function TokensPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  // The secret is nowhere but here, and gone with the dialog or the page.
  const [secret, setSecret] = useState<NewSecret>();
  const isNew = search.has('new');
  return (
    <>
      {isNew ? (
        <NewTokenPage
          onSecret={(one) => {
            setSecret(one);
            navigate(HERE, { replace: true });
          }}
        />
      ) : (
        <TokenListPage createdAt={secret?.detail.creationDate} onSecret={setSecret} />
      )}
      {secret !== undefined && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

/** The list with some of its state changed; what is undefined leaves the address. */
function hrefWith(search: URLSearchParams, patch: Record<string, string | undefined>): string {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const words = next.toString();
  return words === '' ? HERE : `${HERE}?${words}`;
}

interface TokenListPageProps {
  /** Of the token that was just created: it is shown at once. */
  createdAt: number | undefined;
  onSecret: (secret: NewSecret) => void;
}

function TokenListPage({ createdAt, onSecret }: TokenListPageProps) {
  usePageInfo([{ label: TOKENS.account }, { label: TOKENS.title }]);
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const q = search.get('q') ?? '';
  const isAll = search.get('all') === '1';
  const openId = search.get('token') ?? undefined;
  const words = search.toString();
  const hrefOf = useCallback<TokenHref>(
    (id, act) => hrefWith(new URLSearchParams(words), { token: id, do: act }),
    [words],
  );
  const go = (patch: Record<string, string | undefined>) =>
    navigate(hrefWith(search, patch), { replace: true });
  useKeys({ c: () => navigate(NEW) });
  const sought = useSettledText(q);
  const tokens = useTokens({ q: sought, isAll });
  const { shown, added, showAll } = useNewRows(tokens, `${sought} ${isAll}`, createdAt);
  const step = (by: 1 | -1) => {
    const next = shown[shown.findIndex(({ id }) => id === openId) + by];
    if (next !== undefined) go({ token: next.id, do: undefined });
  };
  const close = () => {
    go({ token: undefined, do: undefined });
    focusRow(openId);
  };
  const act = search.get('do');
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={TOKENS.title}
        meta={TOKENS.text}
        actions={
          <ButtonLink tone="primary" icon="plus" keys="c" href={NEW}>
            {TOKENS.create}
          </ButtonLink>
        }
      />
      <div className={openId === undefined ? undefined : 'cols tok__cols'}>
        <div className="stack tok__list">
          <ListHead q={q} isAll={isAll} added={added} onShow={showAll} onChange={go} />
          <TokenTable
            tokens={tokens}
            rows={shown}
            isFiltered={q !== ''}
            onClear={() => go({ q: undefined })}
            hrefOf={hrefOf}
            openId={openId}
          />
        </div>
        {openId !== undefined && (
          <TokenPanel
            id={openId}
            act={act === 'rotate' || act === 'revoke' ? act : undefined}
            onAct={(next: TokenAct) => go({ do: next })}
            onClose={close}
            onStep={step}
            onSecret={(secret) => {
              onSecret(secret);
              go({ do: undefined });
            }}
          />
        )}
      </div>
    </main>
  );
}

/** The link of the row that was open gets the focus back, once it is drawn. */
function focusRow(id: string | undefined): void {
  if (id === undefined) return;
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`tr[data-key="${CSS.escape(id)}"] .tb__link`)?.focus(),
  );
}

const TYPING_MS = 200;

/** What was typed, once one has stopped typing. */
function useSettledText(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Tokens that others create do not push the rows down under the pointer: they wait until one wants to see them. */
function useNewRows(
  { rows, isPlaceholderData }: ReturnType<typeof useTokens>,
  key: string,
  createdAt: number | undefined,
) {
  const [settled, setSettled] = useState<{ key: string; at: number }>();
  const newest = rows?.[0]?.createdAt ?? Infinity;
  // Rows of the filter before say nothing about this one.
  if (rows !== undefined && !isPlaceholderData && settled?.key !== key) setSettled({ key, at: newest });
  const at = Math.max(settled?.at ?? Infinity, createdAt ?? 0);
  const shown = (rows ?? []).filter((row) => row.createdAt <= at);
  return {
    shown,
    added: (rows?.length ?? 0) - shown.length,
    showAll: () => setSettled({ key, at: newest }),
  };
}

interface ListHeadProps {
  q: string;
  isAll: boolean;
  added: number;
  onShow: () => void;
  onChange: (patch: Record<string, string | undefined>) => void;
}

function ListHead({ q, isAll, added, onShow, onChange }: ListHeadProps) {
  const [mayAll] = useMay([{ action: 'viewAccessToken', resource: 'member/*:token/*' }]) ?? [];
  return (
    <div className="row row--wrap">
      <FilterInput value={q} onChange={(text) => onChange({ q: text })} label={TOKENS.filter} />
      {(mayAll || isAll) && (
        <Chips
          label={TOKENS.quick}
          items={[
            {
              label: TOKENS.everyone,
              isOn: isAll,
              onToggle: () => onChange({ all: isAll ? undefined : '1' }),
            },
          ]}
        />
      )}
      {added > 0 && (
        <Button size="sm" icon="up" onClick={onShow}>
          {TOKENS.added(added)}
        </Button>
      )}
    </div>
  );
}

interface TokenTableProps {
  tokens: ReturnType<typeof useTokens>;
  rows: TokenUse[];
  isFiltered: boolean;
  onClear: () => void;
  hrefOf: TokenHref;
  openId: string | undefined;
}

function TokenTable({ tokens, rows, isFiltered, onClear, hrefOf, openId }: TokenTableProps) {
  const { error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPending } = tokens;
  const columns = useMemo(() => {
    const all = tokenColumns(hrefOf, openId);
    return openId === undefined ? all : all.filter(({ id }) => FEW_COLUMNS.includes(id));
  }, [hrefOf, openId]);
  if (error !== null && tokens.rows === undefined)
    return error.access === undefined ? (
      <ErrorState error={error} onRetry={() => void refetch()} />
    ) : (
      <NoPermission {...error.access} />
    );
  return (
    <Table
      label={TOKENS.title}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      rowLabel={({ name }) => name}
      rowHref={({ id }) => hrefOf(id)}
      onPrefetch={({ id }) => prefetch(tokenRead(id))}
      isLoading={isPending}
      footer={
        <>
          <span className="grow">
            {TOKENS.shown(rows.length)}
            {rows.length === 0 && hasNextPage && ` ${TOKENS.moreToFind}`}
          </span>
          {hasNextPage && (
            <Button size="sm" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {TOKENS.more}
            </Button>
          )}
        </>
      }
      emptyState={
        isFiltered ? (
          <EmptyState
            icon="search"
            title={TOKENS.empty.noMatch}
            text={hasNextPage ? TOKENS.moreToFind : TOKENS.empty.noMatchText}
            action={
              hasNextPage ? (
                <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                  {TOKENS.more}
                </Button>
              ) : (
                <Button onClick={onClear}>{TOKENS.empty.clear}</Button>
              )
            }
          />
        ) : (
          <EmptyState
            icon="key"
            title={TOKENS.empty.title}
            text={TOKENS.empty.text}
            action={
              <ButtonLink tone="primary" icon="plus" href={NEW}>
                {TOKENS.create}
              </ButtonLink>
            }
            command="npm run --silent signalbox -- token create --name ci --role reader --expires 30d"
          />
        )
      }
    />
  );
}
