// What the highlighter knows of each language: how comments and strings begin, and its keywords.

export interface Language {
  keywords: ReadonlySet<string>;
  /** Up to the end of the line. */
  lineComments: readonly string[];
  blockComments: readonly (readonly [start: string, end: string])[];
  /** Quotes; those of `longQuotes` go on over lines. */
  quotes: readonly string[];
  longQuotes: readonly string[];
  /** Names at the beginning of a value: keys of YAML, properties of CSS. */
  hasKeys: boolean;
  /** `<name` is a keyword. */
  hasTags: boolean;
  ignoresCase: boolean;
}

const C_COMMENTS = { lineComments: ['//'], blockComments: [['/*', '*/']] } as const;
const NO_COMMENTS = { lineComments: [], blockComments: [] } as const;

function language(words: string, parts: Partial<Language> = {}): Language {
  return {
    ...C_COMMENTS,
    quotes: ['"', "'"],
    longQuotes: [],
    hasKeys: false,
    hasTags: false,
    ignoresCase: false,
    ...parts,
    keywords: new Set(words.split(' ')),
  };
}

const SCRIPT =
  'abstract as async await break case catch class const continue debugger declare default delete do else enum export extends ' +
  'false finally for from function get if implements import in infer instanceof interface is keyof let namespace new null of ' +
  'private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var ' +
  'void while with yield';
const C =
  'auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false float ' +
  'for friend goto if inline int long namespace new noexcept nullptr operator private protected public register return short ' +
  'signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while';
const JAVA =
  'abstract as assert base boolean break byte case catch char class const continue decimal default do double else enum extends ' +
  'false final finally float for foreach get if implements import in instanceof int interface internal is lock long namespace ' +
  'native new null object out override package params private protected public readonly record ref return sealed set short ' +
  'static string struct super switch synchronized this throw throws transient true try using var virtual void volatile while yield';
const GO =
  'break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package range ' +
  'return select struct switch true type var';
const RUST =
  'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref ' +
  'return self Self static struct super trait true type unsafe use where while';
const KOTLIN =
  'as break by case catch class companion const continue data default defer do else enum extension fallthrough false final finally ' +
  'for fun func guard if import in init inline inout interface internal is lateinit lazy let nil null object open operator override ' +
  'package private protocol public repeat return sealed self static struct super suspend switch this throw throws trait true try ' +
  'typealias val var when where while with yield def extends implements match type';
const PHP =
  'abstract and array as break case catch class clone const continue declare default do echo else elseif empty enum extends false ' +
  'final finally fn for foreach function global if implements include include_once instanceof interface isset list match namespace ' +
  'new null or print private protected public readonly require require_once return self static switch throw trait true try unset use ' +
  'var while xor yield';
const PYTHON =
  'and as assert async await break case class continue def del elif else except False finally for from global if import in is ' +
  'lambda match None nonlocal not or pass raise return self True try while with yield';
const RUBY =
  'alias and begin break case class def defined do else elsif end ensure extend false for if in include module next nil not or ' +
  'private protected public raise redo require rescue retry return self super then true undef unless until when while yield';
const SHELL =
  'break case continue declare do done elif else esac eval exec exit export fi for function if in local read readonly return select ' +
  'set shift source test then trap unset until while FROM RUN CMD COPY ADD ENV ARG EXPOSE WORKDIR ENTRYPOINT USER VOLUME LABEL';
const SQL =
  'add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop ' +
  'else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or ' +
  'order outer primary references returning right rollback select set table then transaction trigger union unique update using ' +
  'values view when where with';
const LUA =
  'and break do else elseif end false for function goto if in local nil not or repeat return then true until while';

const HASH = { lineComments: ['#'], blockComments: [] } as const;

/** By the endings of names. */
const BY_ENDING: readonly (readonly [endings: string, make: () => Language])[] = [
  ['js mjs cjs jsx ts mts cts tsx', () => language(SCRIPT, { longQuotes: ['`'] })],
  ['json jsonc json5 webmanifest map', () => language('true false null', { quotes: ['"'] })],
  ['c h cc cpp cxx hpp hh ino m mm', () => language(C)],
  ['java cs', () => language(JAVA)],
  ['go', () => language(GO, { longQuotes: ['`'] })],
  ['rs', () => language(RUST, { quotes: [], longQuotes: ['"'] })],
  ['kt kts swift scala dart groovy gradle', () => language(KOTLIN, { longQuotes: ['"""'] })],
  ['php', () => language(PHP, { lineComments: ['//', '#'] })],
  ['py pyi', () => language(PYTHON, { ...HASH, longQuotes: ['"""', "'''"] })],
  ['rb rake gemspec', () => language(RUBY, HASH)],
  ['sh bash zsh fish dockerfile containerfile', () => language(SHELL, { ...HASH, longQuotes: ['"', "'"] })],
  ['yaml yml', () => language('true false null yes no on off', { ...HASH, hasKeys: true })],
  ['toml ini cfg conf env properties editorconfig gitconfig', () => language('true false', HASH)],
  ['makefile mk cmake', () => language('ifeq ifneq else endif include define endef export', HASH)],
  ['sql', () => language(SQL, { lineComments: ['--'], longQuotes: ["'"], ignoresCase: true })],
  ['lua', () => language(LUA, { lineComments: ['--'], blockComments: [['--[[', ']]']] })],
  ['css scss less', () => language('important', { blockComments: [['/*', '*/']], hasKeys: true })],
  [
    'html htm xml svg vue xhtml plist',
    () => language('', { ...NO_COMMENTS, blockComments: [['<!--', '-->']], hasTags: true }),
  ],
];

const made = new Map<string, Language | undefined>();

/** Undefined for files that are shown as plain text. */
export function languageOf(path: string): Language | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf('.') + 1);
  if (!made.has(ending)) made.set(ending, BY_ENDING.find(([all]) => all.split(' ').includes(ending))?.[1]());
  return made.get(ending);
}
