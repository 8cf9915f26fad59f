// What the browser remembers for its user.

// The value that was kept under this name, or null.
export function kept(name) {
  try {
    return localStorage.getItem(`lasca ${name}`);
  } catch {
    // The browser remembers nothing.
    return null;
  }
}

export function keepSetting(name, value) {
  try {
    localStorage.setItem(`lasca ${name}`, value);
  } catch {
    // As above.
  }
}
