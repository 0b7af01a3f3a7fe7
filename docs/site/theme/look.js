// Before anything is painted: what somebody chose of light and dark.
try {
  const look = localStorage.getItem("look");
  if (look) document.documentElement.dataset.look = look;
} catch {}
