/** Limits of changing hosts' configuration files. */
export const installLimits = {
  /** Of a configuration file that is changed. */
  maxConfigBytes: 64 * 1024 * 1024,
  /** Of one file. */
  maxBackups: 100,
} as const;
