/** `keysweep completion`: a script by which a shell completes commands, options and values. */

import { BACKEND_NAMES, KEY_TYPES } from '@keysweep/core';
import { submitOptions, workerOptions } from '../arguments/cluster.js';
import { type CompletionCommand, SHELLS } from '../arguments/command.js';
import { HELP_OPTION, type OptionTable } from '../arguments/options.js';
import { checkOptions, doctorOptions, genOptions } from '../arguments/parse.js';
import { sortOptions } from '../arguments/sort.js';
import { FORMATS } from '../formats.js';

const COMMANDS: Readonly<Record<string, OptionTable>> = {
  sort: sortOptions,
  check: checkOptions,
  gen: genOptions,
  submit: submitOptions,
  worker: workerOptions,
  doctor: doctorOptions,
  completion: HELP_OPTION,
  help: {},
};

/** The values of options that have only so many. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  type: KEY_TYPES,
  format: FORMATS,
  backend: ['auto', ...BACKEND_NAMES],
};

const NAMES = Object.keys(COMMANDS).join(' ');

/** The options of a command as they are typed. */
const typed = (options: OptionTable): string =>
  Object.entries(options)
    .flatMap(([name, { short }]) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])])
    .join(' ');

/** `wrap` of each option whose values are known, as it is typed, and of these values. */
const ofValues = (wrap: (names: readonly string[], values: string) => string): string[] =>
  Object.entries(VALUES).map(([name, values]) => {
    const short = sortOptions[name]?.short;
    return wrap([`--${name}`, ...(short === undefined ? [] : [`-${short}`])], values.join(' '));
  });

const ofCommands = (wrap: (name: string, options: string) => string): string[] =>
  Object.entries(COMMANDS).map(([name, options]) => wrap(name, typed(options)));

// Without a reply, bash completes names of files.
const bash = (): string => `_keysweep() {
  local current=\${COMP_WORDS[COMP_CWORD]} options=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${NAMES}' -- "$current"))
    return
  fi
  case \${COMP_WORDS[COMP_CWORD - 1]} in
${ofValues((names, values) => `    ${names.join(' | ')}) options='${values}' ;;`).join('\n')}
  esac
  if [[ -z $options && $current == -* ]]; then
    case \${COMP_WORDS[1]} in
${ofCommands((name, options) => `      ${name}) options='${options}' ;;`).join('\n')}
    esac
  elif [[ \${COMP_WORDS[1]} == completion ]]; then
    options='${SHELLS.join(' ')}'
  fi
  [[ -n $options ]] && COMPREPLY=($(compgen -W "$options" -- "$current"))
}
complete -o default -F _keysweep keysweep
`;

const zshValues = (names: readonly string[], values: string): string =>
  `    (${names.join('|')}) compadd -- ${values}; return ;;`;

const zsh = (): string => `#compdef keysweep
_keysweep() {
  local -a options
  if ((CURRENT == 2)); then
    compadd -- ${NAMES}
    return
  fi
  case $words[CURRENT-1] in
${ofValues(zshValues).join('\n')}
  esac
  case $words[2] in
${ofCommands((name, options) => `    (${name}) options=(${options}) ;;`).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    compadd -- $options
  elif [[ $words[2] == completion ]]; then
    compadd -- ${SHELLS.join(' ')}
  else
    _files
  fi
}
compdef _keysweep keysweep
`;

function fish(): string {
  const lines = [`complete -c keysweep -n __fish_use_subcommand -f -a '${NAMES}'`];
  for (const [command, options] of Object.entries(COMMANDS)) {
    for (const [name, { type, short }] of Object.entries(options)) {
      const values = VALUES[name];
      const value =
        values === undefined ? (type === 'string' ? ' -r' : '') : ` -x -a '${values.join(' ')}'`;
      lines.push(
        `complete -c keysweep -n '__fish_seen_subcommand_from ${command}' -l ${name}` +
          `${short === undefined ? '' : ` -s ${short}`}${value}`,
      );
    }
  }
  lines.push(
    `complete -c keysweep -n '__fish_seen_subcommand_from completion' -f -a '${SHELLS.join(' ')}'`,
  );
  return `${lines.join('\n')}\n`;
}

/** The script for a shell. */
export const completionOf = (shell: CompletionCommand['shell']): string =>
  ({ bash, zsh, fish })[shell]();
