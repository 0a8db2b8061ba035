"""Where memories rest: interchangeable stores behind one protocol (store.py), and the files beside them."""
